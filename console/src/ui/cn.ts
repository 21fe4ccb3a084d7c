import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

const merge = extendTailwindMerge({
  extend: {
    classGroups: { 'font-size': ['text-xs', 'text-sm', 'text-base', 'text-lg', 'text-xl'] },
  },
});

/** Class names, the later of two that contradict each other. */
export function cn(...values: ClassValue[]): string {
  return merge(clsx(values));
}
