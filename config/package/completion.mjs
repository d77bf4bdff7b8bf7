/* Writes the completion for bash, zsh and fish from the program's tables: commands, options, enumerated values and
 * formats are written out, worlds and styles are asked of the program when they are needed.
 * usage: completion.mjs PROGRAM FOLDER   writes FOLDER/terrane.bash, FOLDER/_terrane and FOLDER/terrane.fish */

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [program, folder] = process.argv.slice(2);
const { commands, formats } = JSON.parse(execFileSync(program, ['help', '--json'], { encoding: 'utf8', env: {} }));
const all = [...commands, { name: 'help', summary: 'list the commands, or the options of one' },
  { name: 'version', summary: 'print the version' }];
const names = all.map(({ name }) => name);

/* How a value is completed: words, 'file', 'world', 'style', 'styles' (several, with commas), or null for not at all. */
function values({ name, argument = '', values: words }, command) {
  if (words) return words;
  if (/^[\w.]+(\|[\w.]+)+$/.test(argument)) return argument.split('|');
  /* Exports are of pictures and numbers. */
  if (name === 'format') return formats.filter(({ archived }) => command !== 'export' || archived).map((format) => format.name);
  if (/^(FILE|PATH|FOLDER|DIR)$/.test(argument)) return 'file';
  if (argument === 'WORLD' || name === 'default-world') return 'world';
  if (argument === 'STYLE') return 'style';
  return argument.startsWith('STYLE') ? 'styles' : null;
}
/* True if the arguments that are no options are files. */
const takesFiles = ({ arguments: text }) => /FILE|SHARD/.test(text.replaceAll('-o FILE', ''));

const flags = (row) => [...(row.letter ? [`-${row.letter}`] : []), `--${row.name}`];

function bash() {
  const cases = commands.map(({ name, options }) => [name,
    options.flatMap(flags).join(' '),
    options.filter(({ argument }) => argument).map((row) => [flags(row).join('|'), values(row, name)])]);
  const action = (value) => (Array.isArray(value) ? `words='${value.join(' ')}'` : `kind=${value ?? 'none'}`);
  return `# Completion of terrane for bash, made from the program's tables. It needs no other file.

# The first words of the lines that a list of the program has, with the folders of the line so far.
_terrane_list() {
    local list=$1 i program=\${COMP_WORDS[0]/#\\~\\//$HOME/}
    local -a from=()
    for ((i = 2; i + 1 < COMP_CWORD; i++)); do
        case $list:\${COMP_WORDS[i]} in
        *:--worlds | *:--styles | *:--config | styles:--world) from+=("\${COMP_WORDS[i]}" "\${COMP_WORDS[i + 1]/#\\~\\//$HOME/}") ;;
        esac
    done
    "$program" "$list" "\${from[@]}" 2>/dev/null | cut -d ' ' -f 1
}

_terrane() {
    local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
    local options='' words='' kind=option before=''
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '${names.join(' ')} --help --version' -- "$cur")
        return
    fi
    # "--option=value" is three words.
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]]; then
        prev=\${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $command in
${cases.map(([name, options, rows]) => `    ${name})
        options='${options}'
        case $prev in
${rows.map(([flag, value]) => `        ${flag}) ${action(value)} ;;`).join('\n')}
        esac
        ;;`).join('\n')}
    help) words='${names.join(' ')}' ;;
    esac
    if [[ -n $words ]]; then
        kind=words
    elif [[ $kind == option && $cur != -* ]]; then
        case $command in ${commands.filter(takesFiles).map(({ name }) => name).join(' | ')}) kind=file ;; esac
    fi
    case $kind in
    option) words=$options ;;
    world)
        # A world may be a file, too.
        words=$(_terrane_list worlds)
        [[ $cur != */* ]] || kind=file
        ;;
    style | styles)
        words=$(_terrane_list styles)
        [[ $kind == style || $cur != *,* ]] || before=\${cur%,*},
        ;;
    esac
    if [[ $kind == file ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    elif [[ $kind != none ]]; then
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "\${cur#"$before"}")
    fi
}

complete -F _terrane terrane
`;
}

function zsh() {
  /* In a specification of _arguments, in single quotes. */
  const quote = (text) => text.replace(/[\\[\]:]/g, '\\$&').replaceAll("'", "'\\''");
  const action = (value) => (Array.isArray(value) ? `(${value.join(' ')})`
    : { file: '_files', world: '_terrane_worlds', style: '_terrane_style', styles: '_terrane_styles' }[value] ?? ' ');
  const option = (row, command) => {
    const given = flags(row);
    const text = `[${quote(row.help)}]${row.argument ? `:${quote(row.argument)}:${action(values(row, command))}` : ''}`;
    const [repeat, exclude] = row.repeatable ? ['*', ''] : ['', `(${given.join(' ')})`];
    return given.map((flag) => {
      const form = row.argument && flag.startsWith('--') ? `${flag}=` : flag;
      return `            '${exclude}${repeat}${form}${text}'`;
    }).join(' \\\n');
  };
  return `#compdef terrane
# Completion of terrane for zsh, made from the program's tables.

# The first words of the lines that a list of the program has, with the folders of the line so far.
_terrane_list() {
    local list=$1 i
    local -a from
    for ((i = 2; i < CURRENT - 1; i++)); do
        case $list:$words[i] in
        *:--worlds | *:--styles | *:--config | styles:--world) from+=("$words[i]" "\${(Q)words[i + 1]}") ;;
        *:--worlds=* | *:--styles=* | *:--config=* | styles:--world=*) from+=("\${(Q)words[i]}") ;;
        esac
    done
    reply=(\${\${(f)"$(_call_program $list \${_terrane_program} $list \${(q)from} 2>/dev/null)"}%% *})
}

_terrane_worlds() {
    local -a reply
    _terrane_list worlds
    _alternative "worlds:world:($reply)" 'files:file:_files -g "*.json"'
}

_terrane_style() {
    local -a reply
    _terrane_list styles
    compadd -- $reply
}

_terrane_styles() {
    local -a reply
    _terrane_list styles
    _sequence compadd - $reply
}

_terrane() {
    local _terrane_program=$words[1] line state
    local -a commands
    commands=(
${all.map(({ name, summary }) => `        '${name}:${summary.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`).join('\n')}
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in
${commands.map((each) => `    ${each.name})
        _arguments -s -S \\
${each.options.map((row) => option(row, each.name)).join(' \\\n')}${takesFiles(each) ? " \\\n            '*:file:_files'" : ''}
        ;;`).join('\n')}
    help) _describe command commands ;;
    esac
}

_terrane "$@"
`;
}

function fish() {
  const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const actions = { file: '-r -F', world: "-r -F -a '(__terrane_list worlds)'", style: "-x -a '(__terrane_list styles)'",
    styles: "-x -a '(__terrane_styles)'" };
  const action = (value) => (Array.isArray(value) ? `-x -a ${quote(value.join(' '))}` : actions[value] ?? '-x');
  const lines = commands.flatMap((each) => each.options.map((row) => [
    `complete -c terrane -n '__fish_seen_subcommand_from ${each.name}'`, row.letter ? `-s ${row.letter}` : '', `-l ${row.name}`,
    row.argument ? action(values(row, each.name)) : '', `-d ${quote(row.help)}`].filter(Boolean).join(' ')));
  return `# Completion of terrane for fish, made from the program's tables.

# The first words of the lines that a list of the program has, with the folders of the line so far.
function __terrane_list
    set -l words (commandline -opc)
    set -l from
    for i in (seq 3 (math (count $words) - 1))
        if contains -- $words[$i] --worlds --styles --config; or test "$argv[1] $words[$i]" = 'styles --world'
            set -a from $words[$i] $words[(math $i + 1)]
        end
    end
    $words[1] $argv[1] $from 2>/dev/null | string replace -r ' .*' ''
end

# A list of styles has commas.
function __terrane_styles
    set -l before (string match -r '.*,' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
    __terrane_list styles | string replace -r '^' "$before"
end

complete -c terrane -f
${all.map(({ name, summary }) => `complete -c terrane -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`).join('\n')}
complete -c terrane -n '__fish_seen_subcommand_from help' -a ${quote(names.join(' '))}
complete -c terrane -n '__fish_seen_subcommand_from ${commands.filter(takesFiles).map(({ name }) => name).join(' ')}' -F
${lines.join('\n')}
`;
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'terrane.bash'), bash());
writeFileSync(join(folder, '_terrane'), zsh());
writeFileSync(join(folder, 'terrane.fish'), fish());
