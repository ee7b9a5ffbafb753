from torch.utils.data import DataLoader


class register:
    def __init__(self, function):
        self.function = function
        function()


@register  # expect: SPS101
def job():
    return list(DataLoader([1], num_workers=1))
