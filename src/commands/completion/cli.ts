import { Argument } from 'commander'
import { EXIT } from '../../errors.ts'
import type { CommandModule } from '../module.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { type ShownCommand, treeOf } from './tree.ts'
import { zshCompletion } from './zsh.ts'

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const satisfies Record<
  string,
  (root: ShownCommand) => string
>

const HELP = `
Prints a script that completes commands, options, their values and files, and
starts nothing while you type. Print it into the file that your shell reads:
  bash  ~/.local/share/bash-completion/completions/posthaul
  zsh   _posthaul in a folder of $fpath
  fish  ~/.config/fish/completions/posthaul.fish

After an update of posthaul print it anew. For this session alone:
  source <(posthaul completion bash)`

/** `completion`: a shell's script, made from the options that all commands declare. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SHELLS) => {
      const root = command.parent
      if (root) io.stdout.write(SHELLS[shell](treeOf(root)))
      exit(EXIT.done)
    })
}
