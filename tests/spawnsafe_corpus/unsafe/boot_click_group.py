import click
from torch.utils.data import DataLoader


@click.group()
def cli():
    pass


@cli.command()
def train():
    for b in DataLoader([1], num_workers=2):
        print(b)


cli()  # expect: SPS101
