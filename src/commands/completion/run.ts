import { printing } from '../printing.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export const completion = printing<readonly []>(async ({ args: [shell], program }, world) => {
  world.stdout.write(SHELLS[shell as keyof typeof SHELLS](await program!()))
})
