"""The template's part of the project: rarely edited, so that updates merge without a conflict."""
