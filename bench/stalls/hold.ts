const TICK_MS = 1;

/** In milliseconds: by the clock on the wall, and of the thread's own CPU, which other processes do not disturb. */
export interface Hold {
  wall: number;
  cpu: number;
}

const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** How long the event loop was held at a stretch while something was done, at the most. */
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
    // What was done without waiting is seen only now.
    look();
    clearInterval(timer);
  }
  return longest;
}
