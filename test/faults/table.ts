/** The figures of the faults that were injected: each test adds its row, and the table is printed when the run ends. */

/** What one kind of fault did to acknowledged work, counted over all its cycles. */
export interface Figures {
  /** What was done to the service, in a few words. */
  readonly fault: string
  /** How often. */
  readonly cycles: number
  /** Requests that were answered with success. */
  readonly acknowledged: number
  /** Of these, those whose work is not there afterwards. */
  readonly lost: number
  /** Pieces of work that are there twice. */
  readonly doubled: number
  /** Pieces of work that are there in part. */
  readonly torn: number
  /** Answers with a status other than success or what the fault may cause (503). */
  readonly wrong: number
  /** The longest time from the end of a fault to the next good answer, in milliseconds. */
  readonly recoveryMs: number
}

const rows: Figures[] = []

const COLUMNS = ['fault', 'cycles', 'acknowledged', 'lost', 'doubled', 'torn', 'wrong', 'recoveryMs'] as const
const HEADS: readonly string[] = [...COLUMNS.slice(0, -1), 'recovery']

/** Adds a row to the table that the run prints at its end. */
export function addFigures(row: Figures): void {
  if (rows.length === 0) process.prependOnceListener('exit', () => process.stdout.write(`\n${table()}\n`))
  rows.push(row)
}

/** What one kind of load did to the service. */
export interface LoadRow {
  readonly load: string
  /** Good answers a second without it, and with it. */
  readonly capacity: number
  readonly delivered: number
  /** Of good answers, in milliseconds. */
  readonly p99: number
  readonly refused: number
  /** Half of all refusals took no longer, in milliseconds. */
  readonly refusedP50: number
  readonly livezP99: number
  /** How late the generator itself was at worst, in milliseconds: times of that order say nothing of the server. */
  readonly ownLagMs: number
  /** Memory of the process with it, as a multiple of what it is without. */
  readonly memory: number
}

const loads: LoadRow[] = []

const LOAD_HEADS = [
  'load',
  'capacity',
  'delivered',
  'p99',
  'refused',
  'refusal p50',
  '/livez p99',
  'generator late',
  'memory',
]

/** Adds a row to the second table, of services under load. */
export function addLoad(row: LoadRow): void {
  if (loads.length === 0) process.prependOnceListener('exit', () => process.stdout.write(`\n${loadTable()}\n`))
  loads.push(row)
}

function loadTable(): string {
  const cells = loads.map((row) => [
    row.load,
    `${row.capacity}/s`,
    `${row.delivered}/s (${Math.round((100 * row.delivered) / row.capacity)} %)`,
    `${Math.round(row.p99)} ms`,
    String(row.refused),
    `${Math.round(row.refusedP50)} ms`,
    `${Math.round(row.livezP99)} ms`,
    `${row.ownLagMs} ms`,
    `${row.memory.toFixed(2)}×`,
  ])
  return markdown(LOAD_HEADS, cells)
}

/** How a process that is used for long stands at a moment. */
export interface Sample {
  /** Since the use began. */
  readonly second: number
  readonly requests: number
  /** Of the process. */
  readonly memoryMb: number
  readonly heapMb: number
  readonly prepared: number
  readonly openFiles: number
  readonly passingFiles: number
  /** Null on the embedded database, as the two below. */
  readonly connections: number | null
  readonly tables: number | null
  readonly databaseMb: number | null
}

const samples: Sample[] = []

const SAMPLE_HEADS: Readonly<Record<keyof Sample, string>> = {
  second: 'second',
  requests: 'requests',
  memoryMb: 'memory (MB)',
  heapMb: 'heap (MB)',
  prepared: 'prepared statements',
  openFiles: 'open files',
  passingFiles: 'files in tmp',
  connections: 'connections',
  tables: 'tables',
  databaseMb: 'database (MB)',
}

/** Adds a row to the third table, of a service that is used for long. */
export function addSample(sample: Sample): void {
  if (samples.length === 0) process.prependOnceListener('exit', () => process.stdout.write(`\n${sampleTable()}\n`))
  samples.push(sample)
}

function sampleTable(): string {
  const columns = Object.keys(SAMPLE_HEADS) as (keyof Sample)[]
  const cells = samples.map((sample) => columns.map((column) => String(sample[column] ?? '')))
  return markdown(Object.values(SAMPLE_HEADS), cells)
}

/** How many cycles a test runs: `usual` in CI, times FAULTS_SCALE when a whole run is wanted. */
export function cyclesOf(usual: number): number {
  return Math.max(1, Math.round(usual * Number(process.env.FAULTS_SCALE ?? 1)))
}

function table(): string {
  const cells = rows.map((row) =>
    COLUMNS.map((column) => (column === 'recoveryMs' ? `${Math.round(row[column])} ms` : String(row[column]))),
  )
  return markdown(HEADS, cells)
}

function markdown(heads: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...cells.map(line)].join('\n')
}
