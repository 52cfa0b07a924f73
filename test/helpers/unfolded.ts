/** Printed text with its folded lines joined again, because where a sentence breaks depends on the paths in it. */
export function unfolded(text: string): string {
  return text.replaceAll(/\n +/g, ' ')
}
