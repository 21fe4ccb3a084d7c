import icon from './icon.svg';

export function Logo({ word = true }: { word?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2">
      <img src={icon} alt="" width={22} height={22} />
      {word && <span className="text-base font-semibold tracking-tight">Switchboard</span>}
    </span>
  );
}
