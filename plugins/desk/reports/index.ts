/** The reports plugin: what the desk did in a period, computed within the caller's reach and kept as a file to download. */
import { definePlugin, type PluginContext } from '../../../engine/index.ts'
import { generateLater, JOB_ATTEMPTS } from './generate.ts'
import { routes } from './routes.ts'
import { sweep } from './sweep.ts'

const whole = (value: number, most: number, description: string) => ({
  type: 'integer',
  minimum: 0,
  maximum: most,
  default: value,
  description,
})

export default definePlugin({
  name: 'reports',
  description: 'Reports on tickets, agents, customers, departments and performance, as JSON, CSV, XLSX or PDF.',
  after: ['auth', 'tickets', 'media'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      job_tickets: whole(5_000, 1_000_000, 'A report about more tickets than this is made as a job.'),
      rows_shown: whole(1_000, 5_000, 'So many rows stand in the answer; all of them are in the file.'),
      pdf_rows: whole(2_000, 20_000, 'So many rows stand in a PDF, which says so when there are more.'),
    },
  },
  permissions: {
    'reports.view': 'May read every report, whoever made it.',
    'reports.generate': 'May make reports of what they may see, and read those.',
  },
  resources: [new URL('./resources/reports.yaml', import.meta.url)],
  jobs: {
    generate: {
      description: 'Makes a report about many tickets.',
      attempts: JOB_ATTEMPTS,
      run: generateLater,
    },
  },
  routes,
  start,
})

/** The sweep may take its time; nobody waits for it. */
async function start(context: PluginContext): Promise<readonly string[]> {
  sweep(context).catch((err: unknown) => context.log.warn({ err }, 'what reports left could not be swept'))
  return []
}
