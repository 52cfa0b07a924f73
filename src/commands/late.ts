/**
 * What a command loads when it does its work: its help, or a dry run, would wait for it otherwise. A program is bundled by
 * these lines, so each names a file.
 */
export const LATE = {
  import: () => import('./import/run.ts'),
  importPlan: () => import('./import/plan-import.ts'),
} as const
