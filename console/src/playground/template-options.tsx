import type { TemplateOption } from './instructions.ts';

/** The templates of one source in a list to choose from. */
export function TemplateOptions({
  label,
  choices,
}: {
  label: string;
  choices: readonly TemplateOption[];
}) {
  if (choices.length === 0) return null;
  return (
    <optgroup label={label}>
      {choices.map(({ key, name, language }) => (
        <option key={key} value={key}>
          {`${name} (${language})`}
        </option>
      ))}
    </optgroup>
  );
}
