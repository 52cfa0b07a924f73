// Loaded before a contender. It writes what the process used to the place where the bench reads it.
const { readFileSync, writeFileSync } = process.getBuiltinModule('node:fs')
const { isMainThread } = process.getBuiltinModule('node:worker_threads')

const path = process.env.BENCH_USAGE
if (isMainThread && path !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    writeFileSync(
      path,
      JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: peakKib() / 1024 }),
    )
  })
}

/** The kernel's own figure of this program, where it is told: the one that Node gives counts on from the bench itself. */
function peakKib(): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
