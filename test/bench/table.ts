/** The table of the benchmark: medians of the rounds, and the engine's share of the reference in the same round. */

/** One contender in one round of one workload. */
export interface Sample {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Microseconds of processor time a request, in the server and in the database. */
  readonly serverMicros: number
  readonly databaseMicros: number
  readonly errors: number
}

export interface Round {
  readonly engine: Sample
  readonly reference: Sample
}

/** The middle value; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

const HEADINGS = ['work', 'engine req/s', 'reference req/s', 'ratio', 'p99 ms (reference)', 'Node CPU', 'database CPU']

/** One line of the table: ratios are medians of the rounds' ratios, everything else medians of the samples. */
export function row(name: string, rounds: readonly Round[]): readonly string[] {
  const of = (pick: (round: Round) => number): number => median(rounds.map(pick))
  const errors = rounds.reduce((sum, { engine, reference }) => sum + engine.errors + reference.errors, 0)
  const micros = (value: number): string => `${Math.round(value)} µs`
  // The clock of the processor counts in hundredths of a second: what used less is not compared.
  const ratio = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–')
  return [
    errors === 0 ? name : `${name} (${errors} errors!)`,
    Math.round(of(({ engine }) => engine.perSecond)).toString(),
    Math.round(of(({ reference }) => reference.perSecond)).toString(),
    of(({ engine, reference }) => engine.perSecond / reference.perSecond).toFixed(2),
    `${of(({ engine }) => engine.p99Ms).toFixed(1)} (${of(({ reference }) => reference.p99Ms).toFixed(1)})`,
    `${ratio(of(({ engine, reference }) => engine.serverMicros / reference.serverMicros))} (${micros(of(({ engine }) => engine.serverMicros))})`,
    `${ratio(of(({ engine, reference }) => engine.databaseMicros / reference.databaseMicros))} (${micros(of(({ engine }) => engine.databaseMicros))})`,
  ]
}

/** How long half of the answers took at most, and nearly all. */
export function latencies(rounds: readonly Round[]): string {
  const of = (who: keyof Round, which: 'p50Ms' | 'p99Ms'): string =>
    median(rounds.map((one) => one[who][which])).toFixed(1)
  const told = (who: keyof Round): string => `${who} p50 ${of(who, 'p50Ms')} ms, p99 ${of(who, 'p99Ms')} ms`
  return `  ${told('engine')}; ${told('reference')}`
}

/** The comparison as a Markdown table. */
export function table(rows: readonly (readonly string[])[]): string {
  return lines([HEADINGS, ...rows])
}

/** Rows of cells, the headings first, as a Markdown table whose columns line up. */
export function lines(all: readonly (readonly string[])[]): string {
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [headings = [], ...rows] = all
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
