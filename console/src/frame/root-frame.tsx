import { Outlet } from '@tanstack/react-router';

import { TooltipProvider } from '../ui/popover.tsx';
import { Toaster } from '../ui/toast.tsx';

export function RootFrame() {
  return (
    <TooltipProvider delayDuration={300}>
      <Outlet />
      <Toaster />
    </TooltipProvider>
  );
}
