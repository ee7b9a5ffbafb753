import asyncio
from concurrent.futures import ThreadPoolExecutor

async def main():
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor() as pool:
        print(await loop.run_in_executor(pool, abs, -1))

asyncio.run(main())
