import typer
from torch.utils.data import DataLoader

app = typer.Typer()

@app.command()
def train(epochs: int = 1):
    for b in DataLoader([1], num_workers=2):
        print(b)

app()  # expect: SPS101
