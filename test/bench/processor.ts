/** Processor time and memory of processes and where they may run, from /proc and taskset. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second for programs. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time that each process has used by now, all its threads together. */
export function processorTimes(pids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(pids.map((pid) => [pid, secondsOf(pid)]))
}

/** Seconds used between two looks; a process that came in between counts whole, one that ended not at all. */
export function secondsBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, seconds]) => sum + Math.max(0, seconds - (before.get(pid) ?? 0)), 0)
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

/** Has the kernel forget the most memory that a process has held. */
export function resetMemoryPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The most memory that a process has held since, in MB. */
export function memoryPeak(pid: number): number {
  return memoryOf(pid, 'VmHWM')
}

/** The memory that a process holds, in MB. */
export function memoryNow(pid: number): number {
  return memoryOf(pid, 'VmRSS')
}

function memoryOf(pid: number, key: string): number {
  const [, kilobytes] =
    new RegExp(`^${key}:\\s*(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_000
}
