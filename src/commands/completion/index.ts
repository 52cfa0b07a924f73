import { describe } from '../command.ts'

/** `completion`: a shell's script, which asks this command what fits. */
export const command = describe({
  argument: ['<shell>', 'the shell', ['bash', 'zsh', 'fish']],
  help: `
Prints a script that completes commands, options, their values and files. It
asks posthaul what fits. Print it into the file that your shell reads:
  bash  ~/.local/share/bash-completion/completions/posthaul
  zsh   _posthaul in a folder of $fpath
  fish  ~/.config/fish/completions/posthaul.fish

For this session alone:
  source <(posthaul completion bash)`,
  options: [],
  work: async () => (await import('./run.ts')).completion,
})
