/** The share of rejected records above which a transform stops, unless it is told another. */
export const USUAL_REJECT_RATIO = 0.1
