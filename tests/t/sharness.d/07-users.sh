# SPDX-License-Identifier: GPL-2.0-or-later
# 07-users.sh - two real users of a private cluster
#
#   users_setup         between slurm_setup and slurm_start: $alice and $bob are
#                       there until the test ends, however it ends, and can use
#                       the plugins and the $sgang of the build tree
#   as USER COMMAND...  run it as that user, in a folder where all can write
#   ended_as USER ID... the user cancels these, and then all nodes are idle
#   submit_as USER [sbatch's options]
#                       as submit does

test -n "$BASH_VERSION" || return 0

users_missing()
{
	local command

	for command in setpriv useradd userdel; do
		command -v $command >/dev/null ||
			{ echo "there is no $command"; return; }
	done
	setpriv --reuid 65534 --regid 65534 --clear-groups -- \
		test -r "$SLURM_CONF" ||
		echo "other users cannot read ${TMPDIR:-/tmp}"
}

# Other users cannot look into the build tree.
users_copy()
{
	local file

	for file in "$slurm_dir"/lib/*.so "$top_builddir/src/cmd/sgang" \
		"$top_builddir/tests/t/raw_submit"; do
		cp --remove-destination "$(readlink -f "$file")" \
			"$slurm_dir/lib/" || return 1
	done
	sgang=$slurm_dir/lib/sgang
	raw_submit=$slurm_dir/lib/raw_submit
}

# The end that was planned before comes last.
users_at_exit()
{
	local code=$? user

	trap '' HUP INT TERM
	for user in $alice $bob; do
		userdel -f $user >>"$slurm_dir/log/users.log" 2>&1
	done
	(exit $code)
	$users_next_at_exit
}

users_setup()
{
	local user

	skip_missing "$(users_missing)"
	users_copy || slurm_fatal "cannot copy what is built"
	users_next_at_exit=$(trap -p EXIT | cut -d "'" -f 2)
	# Tests that run at the same time must not meet.
	alice=sgang$$a
	bob=sgang$$b
	trap users_at_exit EXIT
	for user in $alice $bob; do
		useradd --no-create-home --no-user-group --shell /bin/sh \
			$user || slurm_fatal "cannot make user $user"
	done
}

as()
{
	local user=$1

	(
		cd "$slurm_dir/out" &&
		timeout 120 setpriv --reuid "$user" --regid "$(id -g "$user")" \
			--clear-groups -- "${@:2}"
	)
}

ended_as() { as $1 scancel "${@:2}" && wait_for 15 nodes_idle; }

submit_as()
{
	local user=$1 id wrap=--wrap='sleep 3600'

	shift
	case " $* " in
	*" --wrap"*) wrap= ;;
	esac
	id=$(as "$user" sbatch --parsable -N 1 -o "$slurm_dir/out/%j" \
		${wrap:+"$wrap"} "$@") || return 1
	echo "${id%%;*}"
}
