import type UPlot from 'uplot';

/** Minimum bar height in CSS pixels, so that every value above 0 is visible. */
const MIN_BAR_PX = 2;
const MAX_BAR_PX = 16;

export const bars: UPlot.Series.PathBuilder = (plot, index, from, to) => {
  const fill = new Path2D();
  const [times, values] = [plot.data[0], plot.data[index] ?? []];
  const ratio = devicePixelRatio;
  const gap = plot.bbox.width / Math.max(1, times.length - 1);
  const width = Math.min(MAX_BAR_PX * ratio, Math.max(MIN_BAR_PX * ratio, gap * 0.7));
  const baseline = plot.valToPos(0, 'y', true);
  for (let i = from; i <= to; i++) {
    const [time, value] = [times[i], values[i]];
    if (time === undefined || !value) continue;
    const height = Math.max(MIN_BAR_PX * ratio, baseline - plot.valToPos(value, 'y', true));
    const left = plot.valToPos(time, 'x', true) - width / 2;
    fill.rect(Math.round(left), Math.round(baseline - height), Math.round(width), height);
  }
  return { fill, stroke: null };
};
