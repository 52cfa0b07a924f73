/** More is not asked for a plan: it is half a minute's worth. */
export const MOST_QUESTIONS = 120
