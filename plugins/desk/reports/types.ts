/** The content of each type of report. */
import { agents } from './content/agents.ts'
import { customers } from './content/customers.ts'
import { departments } from './content/departments.ts'
import { performance } from './content/performance.ts'
import { tickets } from './content/tickets.ts'
import type { Content } from './content.ts'
import type { ReportType } from './kinds.ts'

export const CONTENTS: Readonly<Record<ReportType, Content>> = Object.freeze({
  tickets,
  agents,
  customers,
  departments,
  performance,
})
