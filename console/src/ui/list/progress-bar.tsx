interface ProgressBarProps {
  /** Accessible name. */
  label: string;
  done: number;
  /** Undefined while unknown. */
  total: number | undefined;
}

export function ProgressBar({ label, done, total }: ProgressBarProps) {
  const share = total === undefined ? 0 : total === 0 ? 1 : Math.min(1, done / total);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={total === undefined ? undefined : Math.floor(share * 100)}
      className="h-2 overflow-hidden rounded-full bg-hover"
    >
      <div
        className="h-full origin-left rounded-full bg-accent transition-transform duration-500 ease-out motion-reduce:transition-none"
        style={{ transform: `scaleX(${share})` }}
      />
    </div>
  );
}
