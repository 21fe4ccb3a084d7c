import type { Sandbox } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { CopyButton } from '../ui/form/copy.tsx';
import { Switch } from '../ui/form/toggle.tsx';
import { parseTime } from '../ui/parse-time.ts';
import { toast } from '../ui/toast.tsx';
import { useBehave } from './queries.ts';

interface FaultsProps {
  application: number;
  integration: number;
  sandbox: Sandbox;
}

/** The fields that set a standing fault again, with the time it has left. */
function remaining({ fault, to, until, times }: Sandbox['behaviours'][number]) {
  const seconds =
    until === undefined ? undefined : Math.ceil((parseTime(until) - Date.now()) / 1_000);
  const where = to === undefined ? {} : { to };
  return {
    fault,
    ...where,
    ...(seconds !== undefined && { seconds: Math.max(seconds, 1) }),
    ...(times !== undefined && { times }),
  };
}

/** Faults of the vendor: standing ones for every address, or one message by its magic address. */
export function Faults({ application, integration, sandbox }: FaultsProps) {
  const behave = useBehave(application, integration);
  const active = sandbox.behaviours.filter(({ to }) => to === undefined);
  const others = sandbox.behaviours.filter(({ to }) => to !== undefined);
  const toggle = (name: Sandbox['faults'][number]['name'], isOn: boolean) => {
    const rest = [...others, ...active.filter(({ fault }) => fault !== name)].map(remaining);
    const kept = isOn ? rest : [...rest, { fault: name }];
    behave.mutate(kept, { onError: toast.error });
  };
  return (
    <Section
      title="Faults"
      description={
        sandbox.faults.some(({ text }) => text !== undefined)
          ? 'Turn one on for all messages, or send one message with its text.'
          : 'Turn one on for all messages, or send one message to its address.'
      }
      testId="faults"
      flush
    >
      <ul className="divide-y divide-line">
        {sandbox.faults.map(({ name, description, address, text = address ?? '' }) => {
          const isOn = active.some(({ fault }) => fault === name);
          return (
            <li key={name} className="flex items-start gap-2 px-4 py-2">
              <div className="min-w-0 flex-1">
                <p className="text-sm text-pretty">{description}</p>
                <p className="flex items-center gap-1 font-mono text-xs wrap-anywhere text-ink-soft">
                  {text}
                  <CopyButton text={text} label={`Copy ${text}`} />
                </p>
              </div>
              <Switch
                testId={`fault-${name}`}
                label={description}
                checked={isOn}
                disabled={behave.isPending}
                onChange={() => toggle(name, isOn)}
              />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
