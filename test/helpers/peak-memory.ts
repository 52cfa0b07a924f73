/*
 * Node's --import: the child says at its end how much memory it ever had. The kernel's own figure of this program is
 * better where it is told: the one that Node gives counts on from the process that started it.
 */
const REPORTER = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  const peak = () => {
    try {
      return /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
    } catch {
      return process.resourceUsage().maxRSS
    }
  }
  if (isMainThread) process.on('exit', () => writeSync(2, 'peak ' + peak()))
`)}`

/** What the environment of a command has, so that it tells its peak at the end of stderr. */
export const TELLS_PEAK: Readonly<Record<string, string>> = { NODE_OPTIONS: `--import ${REPORTER}` }

/** The most memory that a command had, in MiB, by what it said on stderr. */
export function peakMib(stderr: string): number {
  return Number(/peak (\d+)$/.exec(stderr)?.[1]) / 1024
}
