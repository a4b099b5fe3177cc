/** The jobs plugin: the state of a job, for the person who asked for it, and commands for operators. */
import {
  ApiError,
  definePlugin,
  holds,
  type JobState,
  jobState,
  type Plugin,
  type Reply,
  type RouteContext,
} from '../../engine/index.ts'
import { automationsCommand, jobsCommand, listenersCommand } from './commands.ts'

/** `GET /jobs/{id}`: for its creator and for holders of every permission; for others 403. */
async function read({ actor, database, params }: RouteContext): Promise<Reply> {
  const job = await jobState(database.adhoc, params.id ?? '')
  if (job === undefined) throw new ApiError('record_not_found', { label: 'Job' })
  const all = holds(actor, '*')
  if (!all && (job.actorId === null || job.actorId !== actor.id)) throw new ApiError('forbidden')
  return { data: shown(job, all), headers: { 'cache-control': 'private, no-store' } }
}

/** Only a failed job has an error; a technical one is only for holders of every permission. */
function shown(job: JobState, all: boolean) {
  const { id, name, status, progress, result } = job
  const error = all ? job.error : (job.reason ?? 'The job could not be done')
  return {
    id,
    name,
    status,
    progress,
    result,
    error: status === 'failed' ? error : null,
    created_at: job.createdAt,
    finished_at: job.finishedAt,
  }
}

const COMMANDS: Plugin['commands'] = {
  jobs: {
    description: 'List the jobs that were given up; plinth jobs retry <id>|all tries them again',
    example: 'plinth jobs retry all',
    words: ['retry'],
    begins: false,
    run: jobsCommand,
  },
  automations: {
    description:
      'Show the state of the automations, and list the runs that failed; plinth automations retry <resource>.<name>|all tries them again',
    example: 'plinth automations retry all',
    words: ['retry'],
    begins: false,
    run: automationsCommand,
  },
  listeners: {
    description:
      'Show the state of the listeners, and list the changes that were set aside; plinth listeners retry <change>|all tries them again',
    example: 'plinth listeners retry all',
    words: ['retry'],
    begins: false,
    run: listenersCommand,
  },
}

export default definePlugin({
  name: 'jobs',
  description:
    'Shows jobs and the runs of automations to those who may see them, and each job to its owner by GET /jobs/{id}; plinth jobs, plinth listeners and plinth automations try again what failed.',
  permissions: { 'jobs.view': 'May see all jobs and the runs of automations, with what went wrong in them.' },
  resources: [
    new URL('./resources/background_jobs.yaml', import.meta.url),
    new URL('./resources/automation_runs.yaml', import.meta.url),
    new URL('./resources/de.words.yaml', import.meta.url),
  ],
  commands: COMMANDS,
  routes: [
    {
      method: 'GET',
      path: '/jobs/{id}',
      summary: 'Read the state of a job',
      tag: 'Jobs',
      access: [{ kind: 'signed_in' }],
      query: {},
      output: {
        type: 'object',
        required: ['id', 'name', 'status', 'progress', 'result', 'error', 'created_at', 'finished_at'],
        properties: {
          id: { type: 'string', pattern: '^[0-9a-f-]{36}$' },
          name: { type: 'string', examples: ['csv.import'] },
          status: { type: 'string', enum: ['pending', 'running', 'completed', 'failed'] },
          progress: { type: 'integer', minimum: 0, maximum: 100 },
          result: { description: 'What the job made of it; null until it is completed.' },
          error: { type: ['string', 'null'] },
          created_at: { type: 'string', format: 'date-time' },
          finished_at: { type: ['string', 'null'], format: 'date-time' },
        },
      },
      handle: read,
    },
  ],
})
