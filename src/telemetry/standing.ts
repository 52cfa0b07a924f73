import type { Entry } from './entry.ts'

/** What SIGUSR2 tells while there is no progress to tell of: at the start, at the end, and while a run waits for its turn. */
const NOTHING: Entry = {
  event: 'progress',
  level: 'info',
  label: 'posthaul',
  message: 'at work; there is no progress to tell of yet',
}

let told: (() => Entry) | undefined

/** Where the process stands. Lines of their own, so that they show beside a bar too. */
export function standing(): Entry {
  const entry = told?.() ?? NOTHING
  return { ...entry, block: `${entry.label}: ${entry.message}\n` }
}

/** Says who knows where the process stands, from now on. Returns what ends that. A process does one thing at a time. */
export function tellStanding(look: () => Entry): () => void {
  told = look
  return () => {
    if (told === look) told = undefined
  }
}
