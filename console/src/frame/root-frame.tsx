import { Outlet } from '@tanstack/react-router';

import { Toaster } from '../ui/toast.tsx';

export function RootFrame() {
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  );
}
