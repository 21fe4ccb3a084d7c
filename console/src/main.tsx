import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { queryClient } from './api/query-client.ts';
import { onSessionEnd } from './api/token.ts';
import { startShortcuts } from './frame/shortcuts.ts';
import { startTheme } from './frame/theme.ts';
import { showTruncatedTexts } from './frame/truncated-texts.ts';
import { router } from './router.ts';

import './styles.css';

startTheme();
startShortcuts();
showTruncatedTexts();

onSessionEnd(() => {
  const { pathname, href } = router.state.location;
  if (!pathname.startsWith('/app')) return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: href, ended: true } });
});

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
