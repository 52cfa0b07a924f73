import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const EACH_MS = 50

/** Looks at a folder again and again, and returns with what `during` resolves to the most bytes of files that were seen. */
export async function peakOf<T>(folder: string, during: () => Promise<T>): Promise<[T, number]> {
  let peak = 0
  const look = () => {
    peak = Math.max(peak, bytesIn(folder))
  }
  const timer = setInterval(look, EACH_MS)
  try {
    return [await during(), peak]
  } finally {
    clearInterval(timer)
  }
}

/** Files come and go meanwhile: what is not there any more counts nothing. */
function bytesIn(folder: string): number {
  let names: string[]
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return 0
  }
  return names.reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (found?.isFile() ? found.size : 0)
  }, 0)
}
