import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

const merge = extendTailwindMerge({
  extend: {
    classGroups: { 'font-size': ['text-xs', 'text-sm', 'text-base', 'text-lg', 'text-xl'] },
  },
});

/** Joins class names; of two conflicting Tailwind classes the later wins. */
export function cn(...values: ClassValue[]): string {
  return merge(clsx(values));
}
