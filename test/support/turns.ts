/**
 * The CPU times of the turns of the event loop, which do not depend on how busy the machine is. Turns that follow one
 * another within a few milliseconds may count as one.
 */
export function longestTurns() {
  const turns: number[] = [];
  let before = process.threadCpuUsage();
  let isStopped = false;
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    const turn = (user + system) / 1000;
    if (turn > 5) turns.push(turn);
    before = process.threadCpuUsage();
    if (!isStopped) setTimeout(look, 2);
  };
  look();
  return {
    stop() {
      isStopped = true;
      return turns.toSorted((a, b) => a - b);
    },
  };
}
