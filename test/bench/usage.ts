// Loaded before a contender. It writes what the process used to the place where the bench reads it.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const path = process.env.BENCH_USAGE
if (isMainThread && path !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    writeFileSync(
      path,
      JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 }),
    )
  })
}
