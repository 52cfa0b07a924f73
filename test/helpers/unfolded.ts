/** What was printed, with folded lines put together again: where a sentence breaks depends on the paths in it. */
export function unfolded(text: string): string {
  return text.replaceAll(/\n +/g, ' ')
}
