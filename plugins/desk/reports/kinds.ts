/** Words for reports: the types and their other names, and the formats of files. */

/** Type → its name for people, and the names in clients of other desks. */
const TYPES = {
  tickets: { title: 'Tickets', aliases: ['ticket', 'ticket_summary', 'tickets_summary', 'ticket_report'] },
  agents: { title: 'Agents', aliases: ['agent', 'agent_performance', 'agents_performance', 'agent_summary'] },
  customers: {
    title: 'Customers',
    aliases: ['customer', 'customer_summary', 'customer_activity', 'customers_activity'],
  },
  departments: {
    title: 'Departments',
    aliases: ['department', 'department_summary', 'department_performance', 'departments_performance'],
  },
  performance: { title: 'Performance', aliases: ['performance_summary', 'performance_report', 'summary', 'overview'] },
} as const

export type ReportType = keyof typeof TYPES

/** Format → the media type of its file; the format is also the end of its name. */
export const FORMATS = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
} as const

export type Format = keyof typeof FORMATS

const BY_WORD: ReadonlyMap<string, ReportType> = new Map(
  (Object.keys(TYPES) as ReportType[]).flatMap((type) => [type, ...TYPES[type].aliases].map((word) => [word, type])),
)

/** All words that name a type. */
export const TYPE_WORDS: readonly string[] = [...BY_WORD.keys()]

/** The type of a word of TYPE_WORDS. */
export function typeOf(word: string): ReportType {
  const type = BY_WORD.get(word)
  if (type === undefined) throw new Error(`no report is called ${word}`)
  return type
}

/** `Tickets, 2026-01-01 to 2026-01-31`. */
export function nameOf(type: ReportType, period: { readonly from: string; readonly to: string }): string {
  return `${TYPES[type].title}, ${period.from} to ${period.to}`
}
