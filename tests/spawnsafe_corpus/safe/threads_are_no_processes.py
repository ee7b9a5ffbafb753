from concurrent.futures import ThreadPoolExecutor
from multiprocessing.dummy import Pool
from threading import Thread

with ThreadPoolExecutor() as executor:
    executor.submit(lambda: 1)
with Pool(2) as pool:
    print(pool.map(lambda x: x, [1]))
Thread(target=lambda: None).start()
