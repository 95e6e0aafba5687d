# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-gang.bash - completion of --gang... for sbatch, srun and salloc in bash
#
# The options and their words are those that the command's --help lists. All
# else of its command line is left to the completion that was there before, or
# that bash-completion loads.

declare -A _slurm_gang_before

# "--gang-mode=strict|nonstrict", line by line.
_slurm_gang_options()
{
	timeout 2 "$1" --help 2>/dev/null | sed -n 's/^ *\(--gang[^ ]*\).*/\1/p'
}

_slurm_gang_values()
{
	local kind=$2

	case $1 in
	--gang)
		timeout 2 sgang list --noheader --format=%j --me 2>/dev/null |
			sed "s|^$(id -un)/||" ;;
	--gang-spare-pool)
		timeout 2 sgang list --noheader --format=%j --me 2>/dev/null |
			sed -n "s|^$(id -un)/||p" ;;
	*)
		case $kind in
		*[A-Z]*\|* | *\|*[A-Z]*) # "require:LEVEL|auto": up to the name
			tr '|' '\n' <<<"$kind" | sed 's/[[@]*[A-Z].*//; /^$/d' ;;
		*\|*)
			tr '|' '\n' <<<"$kind" ;;
		esac ;;
	esac
}

# Let the completion that was there before do it.
_slurm_gang_other()
{
	local command=$1 word=${1##*/} found

	if test -z "${_slurm_gang_before[$word]+set}"; then
		complete -r "$word" 2>/dev/null
		if declare -F _comp_load >/dev/null; then
			_comp_load -- "$word"
		elif declare -F _completion_loader >/dev/null; then
			_completion_loader "$word"
		fi >/dev/null 2>&1
		found=$(complete -p "$word" 2>/dev/null |
			sed -n 's/.* -F \([^ ]*\).*/\1/p')
		test "$found" != _slurm_gang || found=
		_slurm_gang_before[$word]=$found
		complete -o default -F _slurm_gang "$word"
	fi
	found=${_slurm_gang_before[$word]}
	test -z "$found" || "$found" "$@"
}

# bash splits --gang-mode=str into three words.
_slurm_gang()
{
	local cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD option= kind

	if test "$cur" = =; then
		cur=
		option=${COMP_WORDS[at - 1]}
	elif test $at -gt 1 && test "${COMP_WORDS[at - 1]}" = =; then
		option=${COMP_WORDS[at - 2]}
	fi
	COMPREPLY=()
	case $option,$cur in
	--gang*,*)
		kind=$(_slurm_gang_options "$1" | sed -n "s/^$option=//p")
		COMPREPLY=($(compgen -W "$(_slurm_gang_values "$option" "$kind")" \
			-- "$cur")) ;;
	,--g*)
		_slurm_gang_other "$@"
		COMPREPLY+=($(compgen -W "$(_slurm_gang_options "$1" |
			sed 's/=.*/=/')" -- "$cur"))
		case ${COMPREPLY[*]} in
		*=) compopt -o nospace ;;
		esac 2>/dev/null ;;
	*)
		_slurm_gang_other "$@" ;;
	esac
}

for _slurm_gang_command in sbatch srun salloc; do
	_slurm_gang_function=$(complete -p $_slurm_gang_command 2>/dev/null |
		sed -n 's/.* -F \([^ ]*\).*/\1/p')
	case $_slurm_gang_function in
	'' | _slurm_gang | _completion_loader | _comp_complete_load) ;;
	*) _slurm_gang_before[$_slurm_gang_command]=$_slurm_gang_function ;;
	esac
	complete -o default -F _slurm_gang $_slurm_gang_command
done
unset _slurm_gang_command _slurm_gang_function
