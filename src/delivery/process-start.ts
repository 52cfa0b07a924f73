import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// In /proc/<pid>/stat the second field is the program's name in parentheses, blanks and all; the start time is
// the 22nd field, the 20th after it.
const START_FIELD = 19

/**
 * When a process of this machine started, as a word that is only good for comparing: a pid that was handed out
 * again has another. Undefined when no such process runs; '' when this system will not tell.
 */
export function processStart(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // A zombie has ended; only its parent has not noticed yet.
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${bootId()}:${fields[START_FIELD] ?? ''}`
    } catch {
      return isRunning(pid) ? '' : undefined
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
    }).trim()
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs, but as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

// Start times count from the boot: after a reboot the same pid can have the same one.
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().slice(0, 8)
  } catch {
    return ''
  }
}
