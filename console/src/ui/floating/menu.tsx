import { type ComponentProps, createContext, useContext } from 'react';

import {
  FloatingRoot,
  type FloatingRootProps,
  FloatingTrigger,
  type TriggerProps,
  loadedOnce,
  useFloating,
} from './floating.tsx';
import type * as MenuParts from './menu-parts.tsx';

const useMenuParts = loadedOnce(() => import('./menu-parts.tsx'));
const Parts = createContext<typeof MenuParts | undefined>(undefined);

function useParts(): typeof MenuParts {
  const parts = useContext(Parts);
  if (!parts) throw new Error('there is no menu around this');
  return parts;
}

export function Menu(props: FloatingRootProps) {
  return <FloatingRoot {...props} />;
}

export function MenuTrigger(props: TriggerProps) {
  return <FloatingTrigger opens="menu" {...props} />;
}

export function MenuContent(props: ComponentProps<typeof MenuParts.Panel>) {
  const { isNeeded } = useFloating();
  const parts = useMenuParts(isNeeded);
  if (!parts) return null;
  return (
    <Parts value={parts}>
      <parts.Panel {...props} />
    </Parts>
  );
}

export function MenuItem(props: MenuParts.ItemProps) {
  const { Item } = useParts();
  return <Item {...props} />;
}

export function MenuChoice(props: ComponentProps<typeof MenuParts.Choice>) {
  const { Choice } = useParts();
  return <Choice {...props} />;
}

export function MenuLabel(props: ComponentProps<typeof MenuParts.Label>) {
  const { Label } = useParts();
  return <Label {...props} />;
}

export function MenuSeparator() {
  const { Separator } = useParts();
  return <Separator />;
}

export function MenuSegments<Value extends string>(props: MenuParts.SegmentsProps<Value>) {
  const { Segments } = useParts();
  return <Segments {...props} />;
}
