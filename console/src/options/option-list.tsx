import type { MessageOptions } from '../api/types.ts';

/** The options of a message, as the API names them. */
export function OptionList({ options }: { options: MessageOptions }) {
  return (
    <ul data-testid="options" aria-label="Options" className="flex flex-wrap gap-1.5">
      {Object.entries(options).map(([name, value]) => (
        <li
          key={name}
          className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs wrap-anywhere"
        >
          {name}: {String(value)}
        </li>
      ))}
    </ul>
  );
}
