import sys
from multiprocessing import Process, freeze_support

from PySide6.QtWidgets import QApplication


def main():
    app = QApplication(sys.argv)
    freeze_support()  # expect: SPS502
    Process(target=print).start()
    return app.exec()


if __name__ == "__main__":
    main()
