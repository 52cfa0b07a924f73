// Loaded before a contender: leaves what the process used where the bench looks for it.
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
