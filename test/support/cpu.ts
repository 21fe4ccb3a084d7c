/** The CPU time of some work on this thread, in milliseconds. It does not depend on how busy the machine is. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
