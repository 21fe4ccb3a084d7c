const TICK_MS = 1;

/** In milliseconds: wall-clock time, and CPU time of the thread, which other processes do not affect. */
export interface Hold {
  wall: number;
  cpu: number;
}

const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The longest time for which some work blocked the event loop. */
export async function longestHold(work: () => unknown): Promise<Hold> {
  const longest: Hold = { wall: 0, cpu: 0 };
  let last: Hold = { wall: performance.now(), cpu: cpuNow() };
  const look = () => {
    const now = { wall: performance.now(), cpu: cpuNow() };
    longest.wall = Math.max(longest.wall, now.wall - last.wall - TICK_MS);
    longest.cpu = Math.max(longest.cpu, now.cpu - last.cpu);
    last = now;
  };
  const timer = setInterval(look, TICK_MS);
  try {
    await work();
  } finally {
    // Synchronous work is seen only now.
    look();
    clearInterval(timer);
  }
  return longest;
}
