import { Outlet } from '@tanstack/react-router';

import { TooltipProvider } from '../ui/popover.tsx';
import { Toaster } from '../ui/toast.tsx';

/** What every page has around it. */
export function RootFrame() {
  return (
    <TooltipProvider delayDuration={300}>
      <Outlet />
      <Toaster />
    </TooltipProvider>
  );
}
