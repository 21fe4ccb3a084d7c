import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useChatAddress } from './chat.ts';

const box =
  'h-[34rem] max-h-[80dvh] w-full overflow-hidden rounded-lg border border-line bg-surface';

/** The chat page as a visitor sees it. */
export function ChatPanel({
  application,
  integration,
}: {
  application: number;
  integration: number;
}) {
  const { data: address, error, refetch } = useChatAddress(application, integration);
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (address === undefined) {
    return (
      <div className={`${box} p-4`}>
        <Skeleton className="w-1/2" />
      </div>
    );
  }
  return (
    <iframe key={address} data-testid="chat" src={address} title="Test chat" className={box} />
  );
}
