import { describe } from '../command.ts'

/** `completion`: a shell's script, made from the options that all commands declare. */
export const command = describe({
  argument: ['<shell>', 'the shell', ['bash', 'zsh', 'fish']],
  help: `
Prints a script that completes commands, options, their values and files, and
starts nothing while you type. Print it into the file that your shell reads:
  bash  ~/.local/share/bash-completion/completions/posthaul
  zsh   _posthaul in a folder of $fpath
  fish  ~/.config/fish/completions/posthaul.fish

After an update of posthaul print it anew. For this session alone:
  source <(posthaul completion bash)`,
  options: [],
  work: async () => (await import('./run.ts')).completion,
})
