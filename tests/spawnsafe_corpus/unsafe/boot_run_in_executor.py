import asyncio
from concurrent.futures import ProcessPoolExecutor


async def main():
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor() as pool:
        await loop.run_in_executor(pool, abs, 1)


asyncio.run(main())  # expect: SPS101
