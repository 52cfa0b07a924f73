import type { FleetPlan } from './plan-file.ts'

/** Why two plans are of different work, in words that follow "other"; undefined for the same work. */
export function otherWork(there: FleetPlan, now: FleetPlan): string | undefined {
  if (there.tool !== now.tool) return `versions of posthaul (${there.tool}, now ${now.tool})`
  if (there.tasks !== now.tasks) return `numbers of tasks (${there.tasks}, now ${now.tasks})`
  if (!same(there.inputs, now.inputs)) return 'inputs: files were added, removed or changed'
  if (!same(there.sides, now.sides)) return 'side tables'
  if (!same(timeless(there), timeless(now))) return 'settings'
  return undefined
}

/** What a plan says, but for the time it was made. */
function timeless({ created_at: _, job, ...rest }: FleetPlan): object {
  return { ...rest, job: { ...job, now: 0 } }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
