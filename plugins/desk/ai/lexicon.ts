/**
 * Weights of words for the mood of a support text: the AFINN list of the package `sentiment`, corrected for support.
 */
import { createRequire } from 'node:module'

/**
 * Corrections, −5 to 5: people tell a desk about problems, so naming one is no anger; other words weigh more here than
 * elsewhere.
 */
const SUPPORT: Readonly<Record<string, number>> = {
  error: -1,
  errors: -1,
  problem: -1,
  problems: -1,
  issue: 0,
  issues: -1,
  bug: -1,
  bugs: -1,
  charged: -1,
  charge: 0,
  cancel: -1,
  ticket: 0,
  support: 0,
  help: 0,
  please: 0,
  alert: 0,
  critical: -1,
  urgent: -2,
  urgently: -2,
  blocked: -1,
  stop: -1,
  stops: -1,
  stopped: -1,
  broken: -2,
  crash: -2,
  crashes: -2,
  crashed: -2,
  crashing: -2,
  fails: -2,
  failing: -2,
  failed: -2,
  failure: -2,
  down: -1,
  outage: -3,
  slow: -2,
  unusable: -4,
  useless: -4,
  unacceptable: -4,
  ridiculous: -4,
  disappointed: -3,
  disappointing: -3,
  frustrated: -3,
  frustrating: -3,
  annoying: -3,
  annoyed: -3,
  furious: -5,
  angry: -4,
  terrible: -4,
  horrible: -4,
  awful: -4,
  worst: -5,
  waste: -3,
  wasted: -3,
  scam: -5,
  fraud: -4,
  lawyer: -4,
  legal: -1,
  refund: -1,
  chargeback: -3,
  complaint: -2,
  complain: -2,
  ignored: -3,
  ignoring: -3,
  unanswered: -3,
  overdue: -2,
  delayed: -2,
  delay: -2,
  missing: -1,
  lost: -2,
  damaged: -2,
  twice: -1,
  again: -1,
  still: -1,
  nobody: -1,
  never: -2,
  unable: -2,
  cannot: -1,
  locked: -1,
  tedious: -2,
  incompetent: -4,
  rude: -4,
  unhelpful: -3,
  unprofessional: -4,
  fix: 0,
  solved: 2,
  resolved: 2,
  fixed: 2,
  works: 2,
  worked: 2,
  working: 1,
  perfect: 4,
  perfectly: 3,
  thanks: 2,
  thank: 2,
  grateful: 3,
  appreciate: 3,
  appreciated: 3,
  excellent: 4,
  awesome: 4,
  fantastic: 4,
  brilliant: 4,
  quick: 2,
  quickly: 1,
  fast: 2,
  friendly: 3,
  smooth: 2,
  smoothly: 2,
  helpful: 3,
  happy: 3,
  pleased: 3,
  love: 3,
  recommend: 3,
  new: 0,
  share: 0,
  clear: 0,
  like: 0,
  want: 0,
  matter: 0,
  top: 0,
  sharing: 0,
  number: 0,
  account: 0,
}

/** Words that negate the next ones. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  `not no never nothing none neither nor without hardly barely don't doesn't didn't isn't wasn't aren't weren't won't
   wouldn't can't couldn't shouldn't haven't hasn't hadn't cannot ain't dont doesnt didnt isnt wasnt wont cant`.split(
    /\s+/,
  ),
)

/** Words that make the next ones stronger, or weaker. */
export const INTENSITY: ReadonlyMap<string, number> = new Map([
  ...'very really so extremely absolutely completely totally incredibly utterly truly deeply highly'
    .split(' ')
    .map((word) => [word, 1.5] as const),
  ...'slightly somewhat little bit fairly rather quite partly kinda'.split(' ').map((word) => [word, 0.6] as const),
])

/** After these words only the rest counts fully. */
export const TURNS: ReadonlySet<string> = new Set(['but', 'however', 'although', 'yet'])

let general: Readonly<Record<string, number>> | undefined

/** The weight of a word, −5 to 5; 0 for a neutral one. */
export function weightOf(word: string): number {
  if (Object.hasOwn(SUPPORT, word)) return SUPPORT[word] ?? 0
  // Read on first use: most processes never need a mood.
  general ??= createRequire(import.meta.url)('sentiment/languages/en/labels.json') as Readonly<Record<string, number>>
  return Object.hasOwn(general, word) ? (general[word] ?? 0) : 0
}
