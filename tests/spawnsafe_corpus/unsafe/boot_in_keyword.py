import torch.utils.data as data

for number, batch in enumerate(data.DataLoader([1], num_workers=1)):  # expect: SPS101
    print(number, batch)
