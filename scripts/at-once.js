// node scripts/at-once.js <npm script> <npm script>...: runs them side by side, since each keeps little more than one core busy.
// Fails with the first that fails, after all have ended.
import { spawn } from 'node:child_process'

const codes = await Promise.all(
  process.argv.slice(2).map(
    (name) =>
      new Promise((resolve) => {
        const npm = spawn(`npm run ${name}`, { stdio: 'inherit', shell: true })
        npm.on('close', (code) => resolve(code ?? 1))
      }),
  ),
)
process.exitCode = codes.find((code) => code !== 0) ?? 0
