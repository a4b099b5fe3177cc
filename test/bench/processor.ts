/** Processor time of processes and where they may run, from /proc and taskset. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second for programs. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time that the processes have used, all their threads together; ended ones count nothing. */
export function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + secondsOf(pid), 0)
}

function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** Keeps the processes, with all their threads, on one core; ended ones are passed over. */
export function pin(pids: readonly number[], core: number): void {
  for (const pid of pids) {
    try {
      execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' })
    } catch {
      // A connection of the pool that has ended since it was listed.
    }
  }
}
